; Registers links, and offers the program for JSON and gzip files. electron-builder registers no links on Windows, and
; would make the program the default for all JSON files.

!macro customInstall
  WriteRegStr SHELL_CONTEXT "Software\Classes\interleave" "" "URL:Scenario of Interleave"
  WriteRegStr SHELL_CONTEXT "Software\Classes\interleave" "URL Protocol" ""
  WriteRegStr SHELL_CONTEXT "Software\Classes\interleave\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  WriteRegStr SHELL_CONTEXT "Software\Classes\Interleave.document" "" "Document of Interleave"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Interleave.document\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  WriteRegNone SHELL_CONTEXT "Software\Classes\.json\OpenWithProgids" "Interleave.document"
  WriteRegNone SHELL_CONTEXT "Software\Classes\.gz\OpenWithProgids" "Interleave.document"
!macroend

!macro customUnInstall
  DeleteRegKey SHELL_CONTEXT "Software\Classes\interleave"
  DeleteRegKey SHELL_CONTEXT "Software\Classes\Interleave.document"
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.json\OpenWithProgids" "Interleave.document"
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.gz\OpenWithProgids" "Interleave.document"
!macroend
