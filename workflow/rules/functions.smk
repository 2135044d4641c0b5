"""Functions by which rules ask for files, settings and sentences. No rule stands here."""


def own_files(wildcards):
    """Return the files of the target own; without data end with a sentence that says how to name them."""
    with one_sentence():
        return [*TARGETS.own(), *OWN_JOBS.pages()]


def peers_file(wildcards):
    """Return the file of the target peers; without data end as the target own does."""
    with one_sentence():
        return TARGETS.peers()


def model_folder(wildcards):
    """Return the folder of the target model; without a model end with a sentence that says how to name one."""
    with one_sentence():
        return TARGETS.model()


def in_a_folder(wildcards):
    """Return no file; with results in a bucket end with a sentence: the target looks through a folder of results."""
    with one_sentence():
        STORE.check_folder()
    return []


def verdicts_of_run():
    """Return the verdicts of each report that this run asked for, a line each."""
    pages = [
        (
            paper,
            *(PAPER_PAGE.path(output, paper=paper) for output in ("summary", "paper")),
        )
        for paper in PLAN.papers
    ]
    pages += [("Report", PAGE.path("summary"), PAGE.path())]
    return run_said(pages, RECIPES.is_of_run, STORE.at_hand)


def stale_results(wildcards):
    """Return a sentence for each result that a job of this run would not make so today."""
    return RECIPES.stale_below(RESULTS, RESOURCES, PLAN.scope.leaves_out_result)


def fresh_curves(wildcards):
    """Return paper -> file -> content of the specification curves of the papers whose curves are those of today.

    They are a setting and no input of the pages, which would else run every reading.
    """
    declared = set(READING_JOBS.papers()) & set(PAGES.papers(wildcards))
    folders = {paper: READINGS.path(paper=paper) for paper in sorted(declared)}
    return {
        paper: read_folder(Path(folder))
        for paper, folder in folders.items()
        if RECIPES.is_fresh("readings", folder, paper=paper)
    }


def curves_on_record(wildcards):
    """Return paper -> file -> content of the recorded curves, of the readings that are declared today."""
    found = {
        paper: recorded_curves(
            Path(PLAN.folders[paper]) / RECORDED_CURVES,
            PLAN.readings[paper].specifications,
        )
        for paper in sorted(set(READING_JOBS.papers()) & set(PAGES.papers(wildcards)))
    }
    return {paper: files for paper, files in found.items() if files}


def delete_unfounded():
    """Delete the results that rest on one that this run has not made, so that no page shows old numbers as today's."""
    STORE.look_again()
    gone = RECIPES.unfounded(RESULTS)
    for path in gone:
        STORE.delete(path)
    if gone:
        pages = [path for path in gone if path.endswith(".html")] or gone
        logger.error(
            f"{pages[0]} and {len(gone) - 1} more results are gone: they rested on results that this run has not made; "
            "they come back with the run that makes these"
        )


def plain(text):
    """Return text for a message, in which Snakemake takes single braces for names."""
    return text.replace("{", "{{").replace("}", "}}")


def check_targets():
    """End with a sentence if the command line names a target that nothing makes."""
    for target in SNAKEMAKE.doubtful_targets(ROOT):
        made = SNAKEMAKE.wildcards_of(target)
        with one_sentence():
            check_target(target, SNAKEMAKE.target_rules(), made, PLAN)
