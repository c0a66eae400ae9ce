"""What the numbered notebooks compute: a module or a package for each, named as it."""
