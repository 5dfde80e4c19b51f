"""What the modules share and no user imports: input checks, values, recipes, portable sums."""
