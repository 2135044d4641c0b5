"""One folder a paper: what only this paper measures, draws or times."""
