# A fraud team with two scores: a page with both, to choose how many transactions to inspect.
hitcurve data transactions -o transactions.csv
hitcurve report transactions.csv --label status --positive fraud --score rules --score model --missing last \
    --metric ap --metric precision@100 --metric net_benefit@5% --title "Rules and model" -o fraud.html
