(import_statement) @import

(import_statement
  name: (dotted_name) @import.specifier @import.namespace)

(import_statement
  name: (aliased_import
    name: (dotted_name) @import.specifier
    alias: (identifier) @import.namespace))

(import_from_statement
  module_name: (_) @import.specifier) @import

(import_from_statement
  name: (dotted_name) @import.name)

(import_from_statement
  name: (aliased_import
    name: (dotted_name) @import.name
    alias: (identifier) @import.alias))

(import_from_statement
  (wildcard_import) @import.all)

(future_import_statement
  "__future__" @import.specifier) @import

(future_import_statement
  name: (dotted_name) @import.name)
