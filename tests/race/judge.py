"""A judge of the sentences of a page of own data: each is recomputed from the results that the page was made from."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textmix.contest.description import NOTHING
from textmix.metrics.significance import LEVEL, wilson

#: Sentences that say what a part of the page is, and nothing of the results.
OF_THE_FORM = (
    "Methods with a grid were tuned (in cross-validation over [0-9]+ folds|in [0-9]+ cross-validations over [0-9]+ "
    "folds|on one fold|on a part) of the training documents; the other methods have the settings of their papers.",
    "No test document took part in the tuning or in the choice of the method.",
    "Some may be labelled wrongly.",
    "All predictions are in predictions.csv.",
    "The first documents as they were read.",
    "If they are wrong, all results are wrong.",
    "A method is called better than another only where a test at the level 0.05 says so.",
    "The recommended method was fitted to all documents, those of the test too.",
    "The model is the folder .+: arrays and JSON, to be copied or renamed as a whole.",
    "The text is the columns? .+, and the label the column .+.",
    "The view [a-z_]+ was left out, for its counting did not end in its share of the time.",
    "The view [a-z_]+ was left out: (its counting|its process|an encoder) .+.",
    "The recommended method gives no probabilities, so that no label is doubted.",
    "No thresholds could be fitted in time, so that a text may get no label.",
    "The least likely come first; look whether they are labelled wrongly.",
    "The search ended [0-9]+ s before its time, for no fit was left to try that would have ended in it; the best "
    "methods were validated [0-9]+ times? on all folds.",
)


@dataclass(frozen=True)
class Results:
    """The results from which a page was made.

    Parameters
    ----------
    choice : of choice.json.
    validated : method -> score in validation, of the methods that were tested.
    test : method -> score on the test documents, of scores.csv.
    right : whether each test document is right as a whole.
    texts, labels : all documents, and the names of their labels.
    tested : rows of the test documents.
    without : method -> why it was not tested.
    """

    choice: Mapping[str, Any]
    validated: Mapping[str, float]
    test: Mapping[str, float]
    right: np.ndarray
    texts: Sequence[str]
    labels: Sequence[Sequence[str]]
    tested: Sequence[int]
    without: Mapping[str, str]

    @property
    def copied(self) -> np.ndarray:
        """Whether each test document has the text of a training document."""
        known = {text for row, text in enumerate(self.texts) if row not in set(self.tested)}
        return np.array([self.texts[row] in known for row in self.tested])

    @property
    def pairs(self) -> dict[str, Mapping[str, Any]]:
        """Method in words -> its comparison with the recommended one."""
        return {pair["method"].replace("_", " "): pair for pair in self.choice["pairs"]}


def sentences_of(page: str) -> list[str]:
    """Return the sentences of the paragraphs and lists of a page, without examples and the section of figures."""
    body = page[page.index("<main") if "<main" in page else 0 :]
    body = page[: page.index("<main")].split("<nav", maxsplit=1)[0] + body if "<main" in page else body
    for part in (r"<style.*?</style>", r'<div class="example">.*?</div>', r'<section id="tests".*?</section>'):
        body = re.sub(part, "", body, flags=re.S)
    found = re.findall(r'<(p class="lead"|p|ul class="remarks")>(.*?)</(?:p|ul)>', body, re.S)
    items = [item for _, inner in found for item in (re.findall(r"<li>(.*?)</li>", inner, re.S) or [inner])]
    said = [" ".join(html.unescape(re.sub(r"<[^>]+>", "", item)).split()) for item in items]
    return [one for each in said for one in re.split(r"(?<=\.) (?=[A-Z0-9])", each) if one]


def verdict(sentence: str, results: Results) -> bool | None:
    """Return whether a sentence is true of the results; None of one that nobody judges."""
    if any(re.fullmatch(form, sentence) for form in OF_THE_FORM):
        return True
    for form, judge in JUDGES.items():
        match = re.fullmatch(form, sentence)
        if match:
            return judge(match, results)
    return None


def _same(shown: str, value: float) -> bool:
    """Return whether a number is printed with its digits."""
    return abs(float(shown) - value) <= 0.5001 * 10.0 ** -len(shown.partition(".")[2])


def _use(match: re.Match[str], results: Results) -> bool:
    """Judge the recommendation: the best by validation, its score on the test documents, and the interval."""
    name = next((method for method in results.validated if method.replace("_", " ") == match[1]), None)
    best = max(results.validated.values())
    share = float(results.right.mean())
    return (
        name is not None
        and abs(results.validated[name] - best) < 1e-9
        and _same(match[3], best)
        and _same(match[4], share)
        and all(_same(*pair) for pair in zip((match[5], match[6]), wilson(share, len(results.right)), strict=True))
    )


def _decided(sign: float) -> Callable[[re.Match[str], Results], bool]:
    """Return the judge of a sentence that calls methods worse (1) or better (-1)."""

    def judge(match: re.Match[str], results: Results) -> bool:
        """Judge that these methods, and no further ones, are decided."""
        decided = {name for name, pair in results.pairs.items() if pair["p"] < LEVEL and sign * pair["difference"] > 0}
        return set(match[1].split(", ")) == decided

    return judge


def _undecided(match: re.Match[str], results: Results) -> bool:
    """Judge the methods whose comparison decides nothing."""
    return set(match[1].split(", ")) == {name for name, pair in results.pairs.items() if pair["p"] >= LEVEL}


def _rank(match: re.Match[str], results: Results) -> bool:
    """Judge the place of the recommended method by the test documents."""
    own = results.test[results.choice["method"]]
    rank = 1 + sum(value > own for value in results.test.values())
    return (int(match[1]), int(match[2])) == (rank, len(results.test))


def _quicker(match: re.Match[str], results: Results) -> bool:
    """Judge that a quicker method takes half of the time and that its whole interval lies within the margin."""
    pair = results.pairs[match[1]]
    within = pair["high"] is not None and pair["high"] <= float(match[4])
    return within and pair["seconds"] <= results.choice["seconds"] / 2 and float(match[2]) < float(match[3])


def _chose(match: re.Match[str], results: Results) -> bool:
    """Judge the point of the search."""
    said = dict(part.split(" = ") for part in match[1].split(", "))
    return said == {key.replace("_", " "): str(value) for key, value in results.choice["point"].items()}


def _copies(match: re.Match[str], results: Results) -> bool:
    """Judge the number of copies, and the share that is right without them."""
    copied, right = results.copied, results.right
    numbers = int(match[1]), int(match[2]), int(match[3])
    new = right[~copied]
    return numbers == (copied.sum(), len(copied), len(new)) and _same(match[4], float(new.mean()))


def _repeated(match: re.Match[str], results: Results) -> bool:
    """Judge the number of repeated texts, in all documents and in both parts."""
    twins = len(results.texts) - len(set(results.texts))
    numbers = (twins, len(results.texts), int(results.copied.sum()), len(results.tested))
    return tuple(int(match[k]) for k in range(1, 5)) == numbers and bool(match[5]) == bool(numbers[2])


def _few(match: re.Match[str], results: Results) -> bool:
    """Judge the labels that are too rare to be judged."""
    support = [label for row in results.tested for label in results.labels[row]]
    rare = {row["label"] for row in results.choice["labels"] if support.count(row["label"]) < 10}
    return set(match[2].split(", ")) == rare


def _taken(match: re.Match[str], results: Results) -> bool:
    """Judge a confused pair by the matrix of confusions."""
    labels, counts = (results.choice["confusion"][key] for key in ("labels", "counts"))
    return int(match[1]) == counts[labels.index(match[2])][labels.index(match[3])]


def _lead(match: re.Match[str], results: Results) -> bool:
    """Judge the number of methods that were tested."""
    return int(match[1]) == len(results.test)


def _size(match: re.Match[str], results: Results) -> bool:
    """Judge the size of the data."""
    names = {label for labels in results.labels for label in labels}
    return (int(match[1].replace(",", "")), int(match[2])) == (len(results.texts), len(names))


def _gain(match: re.Match[str], results: Results) -> bool:
    """Judge what the last doubling of the documents gave."""
    values = [step["value"] for step in results.choice["curve"]]
    return _same(match[1], values[-1] - values[-2])


def _surest(match: re.Match[str], results: Results) -> bool:
    """Judge the order of the errors by the probability that is stated, where there is one of each."""
    stated = [error["stated"][0] for error in results.choice["errors"] if len(error["stated"]) == 1]
    single = results.choice["confusion"] is not None
    return not single or stated == sorted(stated, reverse=True)


def _averaged(match: re.Match[str], results: Results) -> bool:
    """Judge the parts of an average that was chosen."""
    parts = [name.partition(" (")[0].replace(" ", "_") for name in re.split(", | and ", match[1])]
    return results.choice["method"] == "average" and results.choice["point"]["methods"] == "+".join(parts)


def _encoder(match: re.Match[str], results: Results) -> bool:
    """Judge whether an encoder is ahead, and the scores of methods that were tested."""
    ahead, name, one, two = match[1] == "is", match[2].replace(" ", "_"), match[3], match[4]
    best = max(results.validated.values())
    scores = [value for method, value in results.validated.items() if method == name]
    known = all(_same(one, value) or float(one) <= value + 1e-3 for value in scores)
    return (float(one) > float(two)) == ahead and known and (_same(one, best) or _same(two, best))


def _words_of(match: re.Match[str], results: Results) -> bool:
    """Judge of which part of an average the words are."""
    said = str(results.choice.get("words_of", "")).replace("_", " ")
    part = match[1].partition(" (")[0].replace(" ", "_")
    return match[1] == said and part in results.choice["point"]["methods"].split("+")


def _thresholds(match: re.Match[str], results: Results) -> bool:
    """Judge for which metric an average decides on several labels."""
    return results.choice["metric"].replace("_", " ") == match[1] and results.choice["method"] == "average"


def _no_errors(match: re.Match[str], results: Results) -> bool:
    """Judge that there are no errors."""
    return bool(results.right.all())


def _doubted(match: re.Match[str], results: Results) -> bool:
    """Judge the number of training documents among which labels are doubted."""
    number, of = (int(match[k].replace(",", "")) for k in (1, 2))
    return 0 <= number <= of == len(results.texts) - len(results.tested) - _left_out(results)


def _left_out(results: Results) -> int:
    """Return the number of training documents whose label no fit to other documents knew."""
    return int(results.choice.get("doubts", {}).get("left_out", 0))


def _not_doubted(match: re.Match[str], results: Results) -> bool:
    """Judge the number of training documents whose label no fit to other documents knew."""
    return int(match[1].replace(",", "")) == _left_out(results) > 0


def _nothing(match: re.Match[str], results: Results) -> bool:
    """Judge the labels that may mean that there is none."""
    names = {label for labels in results.labels for label in labels}
    return set(re.findall("“(.+?)”", match[1])) == {name for name in names if name.lower() in NOTHING}


def _once(match: re.Match[str], results: Results) -> bool:
    """Judge the number of labels that stand once."""
    numbers = Counter(label for labels in results.labels for label in labels)
    return (int(match[1]), int(match[2])) == (sum(number == 1 for number in numbers.values()), len(numbers))


def _left(match: re.Match[str], results: Results) -> bool:
    """Judge the number of methods that were left behind, had no time, or do not apply."""
    starts = {"behind": "left behind: ", "time": "out of time: "}
    kinds = [
        next((kind for kind, start in starts.items() if why.startswith(start)), "no")
        for why in results.without.values()
    ]
    kind = "behind" if "left behind" in match[0] else "time" if "budget" in match[0] else "no"
    return int(match[1]) == kinds.count(kind)


JUDGES: Mapping[str, Callable[[re.Match[str], Results], bool]] = {
    r"([0-9]+) methods? on 1 split into training and test documents\.": _lead,
    r"For ([0-9]+) more the time budget left no time\.": _left,
    r"([0-9]+) more (?:was|were) left behind on training documents and not tested\.": _left,
    r"([0-9]+) more (?:does|do) not apply, for the reasons below the scores\.": _left,
    r"Use (.+): it has the largest .+ (on|in) .+ of the training documents, ([0-9.]+), and ([0-9.]+), "
    r"95 % interval ([0-9.]+) to ([0-9.]+) on the test documents, which took no part in the choice\.": _use,
    r"McNemar's exact test on whole documents \(Holm\) shows that it is better than (.+)\.": _decided(1.0),
    r"McNemar's exact test on whole documents \(Holm\) shows that (.+) would have been better on .+\.": _decided(-1.0),
    r"The comparison with (.+) is undecided\.": _undecided,
    r"By the test documents alone it would be number ([0-9]+) of ([0-9]+) methods\.": _rank,
    r"(.+) takes ([0-9.e-]+) s a trial, not ([0-9.e-]+) s, and loses no more than ([0-9.]+) by .+\.": _quicker,
    r"In the first split its search chose (.+)\.": _chose,
    r"([0-9]+) of ([0-9]+) test documents have the text of a training document; of the ([0-9]+) further ones ([0-9.]+) "
    r"are right, 95 % interval [0-9.]+ to [0-9.]+\.": _copies,
    r"([0-9]+) of ([0-9]+) documents repeat the text of an earlier one; ([0-9]+) of ([0-9]+) test documents have the "
    r"text of a training document(, which flatters every method)?\.": _repeated,
    r"(A label has|[0-9]+ labels have) fewer than 10 test documents, too few to judge: (.+)\.": _few,
    r"Documents of the first split that it gets wrong, those of which it is surest first\.": _surest,
    r"Documents of the first split that it gets wrong\.": lambda match, results: not results.choice["sure"],
    r"The average is that of the calibrated probabilities of (.+)\.": _averaged,
    r"The average has one part, (.+)\.": _averaged,
    r"The encoder .+ (is|is not) ahead in validation: (.+) on its vectors has .+ ([0-9.]+), and the best method on "
    r"words or characters ([0-9.]+)\.": _encoder,
    r"They are those of one part of the average, (.+)\.": _words_of,
    r"It gives a label from a threshold that was fitted to held-out training documents for (.+)\.": _thresholds,
    r"It gets no document of the first split wrong\.": _no_errors,
    r"([0-9,]+) of ([0-9,]+) training documents have a label to which the method gives a probability below 0\.1 when "
    r"it is fitted to other documents\.": _doubted,
    r"([0-9,]+) more (?:is|are) left out, for the documents to which the method was fitted lack the label\.": (
        _not_doubted
    ),
    r"(“.+”) count as labels; empty these cells if they mean that there is none\.": _nothing,
    r"([0-9]+) of ([0-9]+) labels occur in one document only, which is in training or in the test\.": _once,
    r"([0-9]+) test documents of “(.+)” are taken for “(.+)”, such as:": _taken,
    r"([0-9,]+) documents, ([0-9]+) labels(?:, [0-9]+ different label sets)?\.": _size,
    r"The last doubling of the training documents changed it by ([-+][0-9.]+)\.": _gain,
}
