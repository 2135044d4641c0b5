"""From text to sparse features: tokenizers, vocabularies, skip-grams, paragraph vectors."""
