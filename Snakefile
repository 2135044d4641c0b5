"""Run workflow/Snakefile from the top folder of the repository."""


include: "workflow/Snakefile"


# A rule that is included is never the default target.
rule default:
    input:
        rules.all.input,
    localrule: True
