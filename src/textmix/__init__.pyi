"""The public names of textmix and their modules: the one list, which `textmix.__init__` reads too."""

from textmix import datasets as datasets
from textmix.models.cbm.estimator import CBMClassifier as CBMClassifier
from textmix.models.cbm.regularised import RegularisedCBM as RegularisedCBM
from textmix.models.dirichlet.dcm import DCMClassifier as DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier as EDCMClassifier
from textmix.models.dirichlet.latent_edcm import LatentTopicEDCM as LatentTopicEDCM
from textmix.models.hmm.estimator import HiddenMarkovModel as HiddenMarkovModel
from textmix.models.hmm.estimator import HMMClassifier as HMMClassifier
from textmix.models.hmm.topics import WordClusters as WordClusters
from textmix.models.label_sets.boosted import BoostedPowerSet as BoostedPowerSet
from textmix.models.label_sets.boosted import BoostedRelevance as BoostedRelevance
from textmix.models.label_sets.chains import ChainEnsemble as ChainEnsemble
from textmix.models.label_sets.chains import ClassifierChain as ClassifierChain
from textmix.models.label_sets.chains import DependencyNetwork as DependencyNetwork
from textmix.models.label_sets.estimators import BinaryRelevance as BinaryRelevance
from textmix.models.label_sets.estimators import PairwiseCRF as PairwiseCRF
from textmix.models.label_sets.estimators import PowerSet as PowerSet
from textmix.models.linear.dropout import DropoutLogisticRegression as DropoutLogisticRegression
from textmix.models.linear.label_svm import LabelSVM as LabelSVM
from textmix.models.linear.nbsvm import NBSVMClassifier as NBSVMClassifier
from textmix.models.linear.path import PathClassifier as PathClassifier
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary as AbsoluteDiscountingBinary
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingClassifier as AbsoluteDiscountingClassifier
from textmix.models.naive_bayes.labels import LabelNaiveBayes as LabelNaiveBayes
from textmix.models.naive_bayes.mixture import MultinomialMixture as MultinomialMixture
from textmix.models.naive_bayes.multinomial import DirichletSmoothedClassifier as DirichletSmoothedClassifier
from textmix.models.naive_bayes.multinomial import MultinomialClassifier as MultinomialClassifier
from textmix.models.neighbours.knn import KNNClassifier as KNNClassifier
from textmix.models.neighbours.labels import LabelNeighbors as LabelNeighbors
from textmix.models.network.label_network import LabelNetwork as LabelNetwork
from textmix.models.pmm.estimator import PMM1 as PMM1
from textmix.models.pmm.estimator import PMM2 as PMM2
from textmix.serve.library import load as load
from textmix.serve.library import save as save
from textmix.text.vectorizer import SkipgramVectorizer as SkipgramVectorizer
from textmix.text.words import WordVectorizer as WordVectorizer

__version__: str
