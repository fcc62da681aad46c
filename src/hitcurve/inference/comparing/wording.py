"""The tests in words: their names, what they assume, how a paper would put them."""

from __future__ import annotations

from hitcurve import rows
from hitcurve.inference.resampling.permute import SIX
from hitcurve.inference.resampling.rank_permutation import OF_RANKS


def on_positives(method: str) -> bool:
    """Return whether a test of subjects is one of those that hold the negatives fixed."""
    return method in (*SIX, *OF_RANKS)


def title(unit: str, method: str) -> str:
    """Return the name of a test."""
    return _TITLES[_kind(unit)][method]


def assumes(unit: str, method: str, *, clustered: bool, correlation: float | None) -> str:
    """Return what a test assumes."""
    text = _of(unit, _ASSUMES[_kind(unit)][method])
    if correlation is not None:
        return f"{text} {rows.short(correlation)}"
    return text.replace("subjects are", "clusters are") if clustered else text


def in_words(unit: str, method: str, *, clustered: bool) -> str:
    """Return a test in the words of a paper."""
    if clustered and method in _BY_CLUSTER:
        return _BY_CLUSTER[method]
    return _of(unit, _IN_WORDS[_kind(unit)][method])


def _kind(unit: str) -> str:
    return "subjects" if unit == "subjects" else "groups"


def _of(unit: str, text: str) -> str:
    """Return words about groups as words about topics, which are no folds."""
    return text.partition("; folds")[0].replace("groups", unit) if unit == "topics" else text


def adjustment(name: str | None) -> str:
    """Return an adjustment for the number of tests in the words of a paper."""
    known = {"Holm": "Holm's method", "max-t": "max-T", "Tukey": "the randomised Tukey HSD test (Carterette 2012)"}
    return known.get(str(name), str(name))


INTERVALS = {
    "percentile": "percentiles of the replicates",
    "bca": "BCa",
    "inversion": "square-and-add of intervals by inversion",
    "profile": "square-and-add of both profiles",
}
"""Where intervals of a difference come from that are not by its standard error."""
_TITLES = {
    "subjects": {
        "delta": "Delta-method test",
        "log-delta": "Delta-method test on log FPR",
        "delong": "DeLong test",
        "inversion": "Inversion test",
        "bootstrap": "Bootstrap test",
        "swap-permutation": "Swap permutation test",
        "unpaired": "Test of two samples",
        "anytime": "Anytime-valid test",
        "obrien-fleming": "O'Brien-Fleming test",
        **{name: f"{name.replace('-', ' ').capitalize()} test on the positives" for name in SIX},
        **{name: f"{name.replace('-', ' ').capitalize()} test" for name in OF_RANKS},
    },
    "groups": {
        "paired-t": "Paired t test",
        "corrected-t": "Corrected resampled t test",
        "wilcoxon": "Wilcoxon signed-rank test",
        "sign-flip": "Sign-flip permutation test",
        "unpaired-t": "Unpaired t test",
    },
}
_ASSUMES = {
    "subjects": {
        "delta": "subjects are drawn independently; both classes are sampled",
        "log-delta": "subjects are drawn independently; both classes are sampled",
        "delong": "subjects are drawn independently; normal statistic",
        "inversion": "subjects are drawn independently; other samples rank as a smooth fit of this one does",
        "bootstrap": "subjects are drawn independently; normal statistic with the bootstrap's standard error",
        "swap-permutation": "under the null the two rankers are exchangeable subject by subject, not only equally good",
        "unpaired": "the two estimates are normal, with correlation",
        "anytime": "labels arrive in random order; valid at all looks together, in large samples",
        "obrien-fleming": "labels arrive in random order up to a known number; valid at all looks together, in large "
        "samples",
        **dict.fromkeys(SIX, "negatives are fixed: valid only if positives are few among many negatives"),
        **dict.fromkeys(
            OF_RANKS, "the ranks of positives are exchangeable: conservative unless they are few among many negatives"
        ),
    },
    "groups": {
        "paired-t": "groups are independent; folds of one data set are not (use corrected-t)",
        "corrected-t": "folds that share their training data (Nadeau and Bengio 2003)",
        "wilcoxon": "groups are independent; differences are symmetric around the null",
        "sign-flip": "groups are independent; under the null the two rankers are exchangeable in each",
        "unpaired-t": "groups are independent",
    },
}
_BY_CLUSTER = {
    "delta": "a t test on influence values summed by cluster, with one degree of freedom less than clusters that "
    "contain a positive",
    "bootstrap": "a bootstrap over clusters",
}
_IN_WORDS = {
    "subjects": {
        "delta": "a delta-method test on influence values with a Welch-Satterthwaite t statistic",
        "log-delta": "a delta-method test on influence values of the log of the FPR, with a Welch-Satterthwaite t "
        "statistic",
        "delong": "the test of DeLong, DeLong and Clarke-Pearson (1988)",
        "inversion": "square-and-add of the two intervals by inversion, with the correlation of the influence values",
        "bootstrap": "a bootstrap over subjects",
        "swap-permutation": "a permutation test that swaps the two normalised ranks of subjects",
        "unpaired": "a normal test of two estimates",
        "anytime": "a test on influence values that is valid at all looks (an asymptotic confidence sequence)",
        "obrien-fleming": "a test on influence values with O'Brien and Fleming's boundary for all looks",
        **{name: f"a {name.replace('-', ' ')} test on the rank weights of the positives" for name in SIX},
        "paired-rank-permutation": "a permutation test that exchanges the ranks of positives between the rankers "
        "(Swamidass et al. 2010), with ties broken at random",
        "unpaired-rank-permutation": "a permutation test that divides the pooled ranks of the positives anew "
        "(Swamidass et al. 2010), with ties broken at random",
    },
    "groups": {
        "paired-t": "a paired t test",
        "corrected-t": "the corrected resampled t test of Nadeau and Bengio (2003)",
        "wilcoxon": "a Wilcoxon signed-rank test (zeros after Pratt, mean ranks of ties)",
        "sign-flip": "a sign-flip permutation test",
        "unpaired-t": "Welch's t test of the values of the groups",
    },
}
