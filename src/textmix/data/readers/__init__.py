"""One module a file format, each with ``read(files, options) -> Corpus`` and ``OPTIONS`` (name: whether required)."""
