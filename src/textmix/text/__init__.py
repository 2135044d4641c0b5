"""From words to sparse counts: tokenizers, vocabularies, weighting."""
