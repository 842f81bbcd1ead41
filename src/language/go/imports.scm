(import_spec) @import

((import_spec
   !name
   path: (_ (interpreted_string_literal_content) @import.specifier @import.namespace))
 (#set! bind last))
((import_spec
   !name
   path: (_ (raw_string_literal_content) @import.specifier @import.namespace))
 (#set! bind last))
(import_spec
  name: (package_identifier) @import.namespace
  path: (_ [(interpreted_string_literal_content) (raw_string_literal_content)] @import.specifier))
(import_spec
  name: (dot) @import.all
  path: (_ [(interpreted_string_literal_content) (raw_string_literal_content)] @import.specifier))
(import_spec
  name: (blank_identifier)
  path: (_ [(interpreted_string_literal_content) (raw_string_literal_content)] @import.specifier)) @import
