# A statistician with a screening trial: which reading is better, as a LaTeX table with the test of the difference.
hitcurve data mammography -o trial.csv
hitcurve evaluate trial.csv --counts --positives film_cancers --total film_screened \
    --positives digital_cancers --total digital_screened --metric ap --metric auc --compare ap -o trial.tex
