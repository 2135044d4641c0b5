"""The reproduction: five documents rebuilt from raw data with the library textmix, which knows nothing of it."""
