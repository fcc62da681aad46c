# A chemist with docked molecules: the enrichment of four programs, as a figure and as numbers for a spreadsheet.
hitcurve data docking --only target=ACHE -o ache.csv
hitcurve evaluate ache.csv --label active --score smina --score ifp --score cnn_score --score rf_score_vs \
    --metric ef@1% --metric 'bedroc(alpha=20)' -o enrichment.csv
hitcurve plot accumulation ache.csv --label active --score smina --score ifp --score cnn_score --score rf_score_vs \
    --log-x -o enrichment.pdf
