"""The comparison of published with rebuilt numbers: verdicts, tables and the report page."""
