((call
   !receiver
   method: (identifier) @_require
   arguments: (argument_list . (string . (string_content) @import.specifier .))) @import
 (#any-of? @_require "require" "require_relative" "require_dependency" "load"))

((call
   method: (identifier) @_require
   arguments: (argument_list
     . (simple_symbol) @import.name
     . (string . (string_content) @import.specifier .))) @import
 (#eq? @_require "autoload"))
