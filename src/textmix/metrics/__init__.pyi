"""The metrics that `textmix.metrics` imports on first access."""

from textmix.metrics.classification import accuracy as accuracy
from textmix.metrics.classification import error_rate as error_rate
from textmix.metrics.classification import macro_f1 as macro_f1
from textmix.metrics.multilabel import hamming_loss as hamming_loss
from textmix.metrics.multilabel import jaccard as jaccard
from textmix.metrics.multilabel import macro_f as macro_f
from textmix.metrics.multilabel import micro_f as micro_f
from textmix.metrics.multilabel import sample_f as sample_f
from textmix.metrics.multilabel import sample_f_skip as sample_f_skip
from textmix.metrics.multilabel import subset_accuracy as subset_accuracy
from textmix.metrics.probability import calibration_error as calibration_error
from textmix.metrics.probability import log_loss as log_loss
from textmix.metrics.probability import perplexity as perplexity
from textmix.metrics.probability import selective_accuracy as selective_accuracy
from textmix.metrics.probability import set_calibration_error as set_calibration_error
from textmix.metrics.probability import set_log_loss as set_log_loss
