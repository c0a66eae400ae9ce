"""Behind the notebooks: one module or package per notebook, figures, models and papers."""
