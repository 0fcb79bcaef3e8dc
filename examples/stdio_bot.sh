#!/bin/sh
# A player in a few lines of shell: run it by `xabitha seat --stdio sh examples/stdio_bot.sh`.
# It plays the first legal move of each list; the list is the last field of a question.
while read -r line; do
    case $line in
        '{"type":"hello"'*) echo '{"type":"ready"}' ;;
        '{"type":"decide"'*)
            id=$(expr "$line" : '{"type":"decide","id":\([0-9]*\)')
            move=${line##*'"legal":["'}
            printf '{"move":"%s","id":%s}\n' "${move%%'"'*}" "$id"
            ;;
        '{"type":"bye"'*) exit ;;
    esac
done
