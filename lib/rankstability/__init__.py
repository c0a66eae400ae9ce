"""How far can a ranking of machine translation systems by people be trusted?"""

__version__ = "0.4.0"
