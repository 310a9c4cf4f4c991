#!/bin/sh
# For any CI: checks what HEAD brings in since it left BASE; findings also stand in fcoplint.xml (JUnit).
# usage: plain.sh BASE
set -eu
exec fcoplint check --range "${1:?say what the change is compared with, as: plain.sh origin/main}..HEAD" \
    --format text --format junit:fcoplint.xml
