"""What `make release-check` runs where textmix and the four packages that it needs are installed, and no other."""

from __future__ import annotations

import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline

import textmix
from textmix import PMM1, CBMClassifier, EDCMClassifier, SkipgramVectorizer, WordVectorizer
from textmix.__main__ import main

TEXTS = [
    "the team scored a goal",
    "paint on the stage",
    "a goal on the stage",
    "music and paint",
    "the team and a ball",
] * 4
SETS = [["sport"], ["art"], ["art", "sport"], ["art"], ["sport"]] * 4


def run() -> None:
    """Fit, search, save, load and label by the command line; raise AssertionError where one of them is wrong."""
    assert textmix.__version__ == version("textmix"), "the installed version is another one"
    assert "site-packages" in textmix.__file__, "not the installed package"
    single = make_pipeline(SkipgramVectorizer(max_n=2, min_df=2), EDCMClassifier())
    assert single.fit(TEXTS, [row[0] for row in SETS]).score(TEXTS, [row[0] for row in SETS]) == 1.0
    search = GridSearchCV(make_pipeline(WordVectorizer(), PMM1()), {"pmm1__xi": [1.1, 2.0]}, cv=KFold(2))
    mixture = make_pipeline(WordVectorizer(), CBMClassifier(n_components=2, random_state=0)).fit(TEXTS, SETS)
    for model in (search.fit(TEXTS, SETS).best_estimator_, mixture):
        with tempfile.TemporaryDirectory() as place:
            textmix.save(model, f"{place}/model")
            assert textmix.load(f"{place}/model").predict(TEXTS).tolist() == model.predict(TEXTS).tolist()
            new, labelled = Path(place, "new.txt"), Path(place, "labels.csv")
            new.write_text("\n".join(TEXTS), encoding="utf-8")
            assert main(["predict", f"{place}/model", str(new), "--output", str(labelled), "--quiet"]) == 0
            assert len(labelled.read_text(encoding="utf-8").splitlines()) == 1 + len(TEXTS)
    print(f"textmix {textmix.__version__} on Python {sys.version.split()[0]}: as it should be")


if __name__ == "__main__":
    run()
