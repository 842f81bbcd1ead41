(import_statement
  source: (string (string_fragment) @import.specifier)) @import
(import_clause (identifier) @import.default)
(namespace_import (identifier) @import.namespace)
(import_specifier
  name: [(_) "default"] @import.name
  alias: (_) @import.alias)
(import_specifier
  name: [(_) "default"] @import.name)

(export_statement
  source: (string (string_fragment) @import.specifier)) @import @import.again
(export_statement "*" @import.all)
(namespace_export (_) @import.namespace)
(export_specifier
  name: [(_) "default"] @import.name
  alias: [(_) "default"] @import.alias)
(export_specifier
  name: [(_) "default"] @import.name)

; Calls that load a module

((variable_declarator
  name: (identifier) @import.namespace
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @import.specifier) .))) @import
  (#eq? @_require "require"))
((variable_declarator
  name: (object_pattern)
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @import.specifier) .))) @import
  (#eq? @_require "require"))
(variable_declarator
  name: (identifier) @import.namespace
  value: (await_expression
    (call_expression
      function: (import)
      arguments: (arguments . (string (string_fragment) @import.specifier))))) @import
(variable_declarator
  name: (object_pattern)
  value: (await_expression
    (call_expression
      function: (import)
      arguments: (arguments . (string (string_fragment) @import.specifier))))) @import
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @import.name))
(variable_declarator
  name: (object_pattern
    (pair_pattern
      key: (property_identifier) @import.name
      value: (identifier) @import.alias)))
((call_expression
  function: (identifier) @_require
  arguments: (arguments . (string (string_fragment) @import.specifier) .)) @import
  (#eq? @_require "require"))
(call_expression
  function: (import)
  arguments: (arguments . (string (string_fragment) @import.specifier))) @import
