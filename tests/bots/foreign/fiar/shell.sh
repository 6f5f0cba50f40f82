#!/bin/sh
# Four in a row, from the text alone, in a shell: column after column, and the next one where that is full.
column=0
while read -r sign cells; do
    full=yes
    while [ $full = yes ]; do
        column=$((column % 7 + 1))
        rest=$cells
        skip=$column
        while [ "$skip" -gt 1 ]; do
            rest=${rest#?}
            skip=$((skip - 1))
        done
        case $rest in .*) full=no ;; esac
    done
    echo "$column"
done
