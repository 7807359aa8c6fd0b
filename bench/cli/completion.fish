# Completion of bench for fish, made by 'bench completion fish'. It asks bench what may follow.
function __bench_words
    set -l tokens (commandline -opc)
    set -l current (commandline -ct)
    set -l before
    set -l option
    set -l parts (string split -m 1 = -- $current)
    if string match -q -- '--*=*' $current
        set option $parts[1]
        set before $parts[1]=
    else if test (count $tokens) -gt 2; and string match -q -- '-*' $tokens[-1]
        set option $tokens[-1]
    end
    if test -n "$option"
        set -l answer ($tokens[1] completion -- words $tokens[2] $option 2>/dev/null)
        switch "$answer[1]"
            case text
                return
            case file
                __fish_complete_path (string replace -- "$before" '' $current)
                return
            case list devices
                set -l list (string match -r -- '^.*,' (string replace -- "$before" '' $current))
                for word in $answer[2..]
                    echo "$before$list$word"
                end
                return
            case one
                for word in $answer[2..]
                    echo "$before$word"
                end
                return
        end
    end
    set -l answer ($tokens[1] completion -- words $tokens[2] 2>/dev/null)
    if test "$answer[1]" = file; and not string match -q -- '-*' $current
        __fish_complete_path $current
    else
        printf '%s\n' $answer[2..]
    end
end
complete -c bench -f -a '(__bench_words)'
