; A framework, or a part of one: the parts before the last are a path

(module_import) @import
(module_import
  (identifier) @import.prefix
  . (identifier)) @import.group
(module_import
  (identifier) @import.specifier @import.all
  . ";")
