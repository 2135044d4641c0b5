"""The settings of the documentation site; docs/contributing.md says why these tools."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import textmix

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "textmix"
author = "The textmix authors"
copyright = author
version = release = textmix.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "plain_docstrings",
    "mathml",
    "paper_pages",
    "reference",
]
exclude_patterns = [
    "_build",
    "generated",
    "papers/generated",
    "requirements.*",
    "examples/GALLERY_HEADER.rst",
    "examples/README.rst",
]
nitpicky = False  # docstrings name modules and private parts, which are code and no pages
default_role = "code"
smartquotes = False
suppress_warnings = ["config.cache"]  # the configuration of the gallery holds a function

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
templates_path = ["_templates"]
autodoc_typehints = "none"  # the signature shows them
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("matplotlib", "gallery_style.reset"),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "image_scrapers": ("matplotlib",),
    "image_srcset": ["2x"],
    "plot_gallery": True,
    "abort_on_example_error": True,
    "min_reported_time": 10**6,  # a time says more of the machine than of the script
    "write_computation_times": False,
}
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")

html_theme = "furo"
html_title = "textmix"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
