"""Measures of retrieval, evaluated for all topics of a run at once; names are those of ir_measures."""

from __future__ import annotations

from hitcurve.metrics.retrieval.binary import (
    GMAP,
    RBP,
    RR,
    BinG,
    Bpref,
    GMBpref,
    InfAP,
    IPrec,
    IPrec11,
    Judged,
    RBPResidual,
    RprecMult,
    Success,
)
from hitcurve.metrics.retrieval.cascade import ERR, NERR, RNDCG, G, NDCGRel
from hitcurve.metrics.retrieval.graded import GradedDCG, GradedNDCG, IdealDCG, of_grades
from hitcurve.metrics.retrieval.measure import AP, P, R, Rprec, TopicMeasure
from hitcurve.metrics.retrieval.sets import (
    NumNonrelJudgedRet,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    SetAP,
    SetF,
    SetP,
    SetR,
    Utility,
)

__all__ = [
    "AP",
    "ERR",
    "GMAP",
    "NERR",
    "RBP",
    "RNDCG",
    "RR",
    "BinG",
    "Bpref",
    "G",
    "GMBpref",
    "GradedDCG",
    "GradedNDCG",
    "IPrec",
    "IPrec11",
    "IdealDCG",
    "InfAP",
    "Judged",
    "NDCGRel",
    "NumNonrelJudgedRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "R",
    "RBPResidual",
    "Rprec",
    "RprecMult",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "Success",
    "TopicMeasure",
    "Utility",
    "of_grades",
]
