"""The workflow, as `snakemake` finds it in this folder; it stands in the catalogue's place, workflow/Snakefile."""


include: "workflow/Snakefile"


SNAKEMAKE.make_default("all")
