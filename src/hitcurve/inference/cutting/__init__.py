"""Where lists are cut: hard cuts and the slope there, grids that hold the cuts of metrics, ends of blocks of ties."""
