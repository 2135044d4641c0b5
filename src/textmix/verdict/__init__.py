"""Published numbers beside rebuilt ones: judging, tables, the report page."""
