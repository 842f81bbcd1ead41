; `"x.h"` is `x.h`, and `<x.h>` keeps its brackets: they say where it is looked for

(preproc_include
  path: [
    (string_literal (string_content) @import.specifier @import.all)
    (system_lib_string) @import.specifier @import.all
    (identifier) @import.specifier @import.all
  ]) @import
