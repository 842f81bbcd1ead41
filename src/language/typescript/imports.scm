(import_statement
  (import_require_clause
    (identifier) @import.namespace
    source: (string (string_fragment) @import.specifier))) @import
