# A reviewer with twenty hours: how many of the abstracts to read, and what will be found.
hitcurve data reviews --only topic=CD009647 -o review.csv
hitcurve rate review.csv --label included --score waterloo_a:low --score waterloo_b:low \
    --time 20h --per-item 30s:3min --format markdown -o plan.md
