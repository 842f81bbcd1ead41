((call
   !receiver
   method: (identifier) @_require
   arguments: (argument_list . (string . (string_content) @import.specifier .))) @import
 (#any-of? @_require "require" "require_relative" "require_dependency" "load"))

((call
   method: (identifier) @_require
   arguments: (argument_list
     . (simple_symbol) @import.name
     . (string . (string_content) @import.specifier .)))
 (#eq? @_require "autoload"))
((call
   method: (identifier) @_require
   arguments: (argument_list . (simple_symbol) . (string))) @import
 (#eq? @_require "autoload"))
