"""The workflow, where people look for it first; its own place, workflow/Snakefile, is the one that the catalogue asks for."""


include: "workflow/Snakefile"


# An included rule is never the default one.
rule default:
    input:
        rules.all.input,
    localrule: True
