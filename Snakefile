"""textmix: every table, curve and number of five documents on text categorisation, rebuilt from raw data."""

from snakemake.utils import min_version

min_version("9.20")


include: "workflow/rules/config.smk"


configfile: MAIN_CONFIG


include: "workflow/rules/request.smk"
include: "workflow/rules/common.smk"
include: "workflow/rules/fetch.smk"
include: "workflow/rules/parse.smk"
include: "workflow/rules/features.smk"
include: "workflow/rules/splits.smk"
include: "workflow/rules/fit.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/bench.smk"
include: "workflow/rules/studies.smk"
include: "workflow/rules/own.smk"
include: "workflow/rules/matrix.smk"
include: "workflow/rules/model.smk"


localrules:
    all,
    pmm,
    edcm,
    multinomial,
    skipgrams,
    cbm,
    naive_bayes,
    tables,
    figures,
    report,
    own,
    matrix,
    model,


rule all:
    """Rebuild every document that config.yaml names, ending in the report page (the default)."""
    default_target: True
    input:
        "results/report/accepted.json",


rule pmm:
    """Ueda & Saito 2002, Parametric Mixture Models for pages with several labels."""
    input:
        collect("results/papers/pmm/{part}", part=paper_results("pmm")),
    message:
        said("pmm")


rule edcm:
    """Kauchak, Madsen & Elkan, Approximating the Dirichlet Compound Multinomial."""
    input:
        collect("results/papers/edcm/{part}", part=paper_results("edcm")),
    message:
        said("edcm")


rule multinomial:
    """Vilar, Castro & Sanchis 2004, label sets of Reuters-21578 by multinomial models."""
    input:
        collect("results/papers/multinomial/{part}", part=paper_results("multinomial")),
    message:
        said("multinomial")


rule skipgrams:
    """Li et al. 2016, skip-grams and regularisation for sentiment."""
    input:
        collect("results/papers/skipgrams/{part}", part=paper_results("skipgrams")),
    message:
        said("skipgrams")


rule cbm:
    """Li et al. 2016, Conditional Bernoulli Mixtures and eight baselines."""
    input:
        collect("results/papers/cbm/{part}", part=paper_results("cbm")),
    message:
        said("cbm")


rule naive_bayes:
    """Zhai, lecture on generative text categorisation: smoothed naive Bayes and its limits."""
    input:
        collect("results/papers/naive_bayes/{part}", part=paper_results("naive_bayes")),
    message:
        said("naive_bayes")


rule tables:
    """All tables, as csv."""
    input:
        all_tables(),


rule figures:
    """All figures, as svg."""
    input:
        all_figures(),


rule report:
    """The page results/report/index.html and comparison.csv."""
    input:
        "results/report/index.html",


onsuccess:
    say_end()
