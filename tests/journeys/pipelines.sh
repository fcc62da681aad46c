# A data scientist with scores of ten folds: which model is better, by the corrected resampled t test, as JSON.
hitcurve data hiv -o hiv.csv
hitcurve evaluate hiv.csv --label active --score maxsim --score knn10 --folds fold --metric ap --compare ap \
    -o comparison.json
