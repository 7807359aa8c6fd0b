# Completes words of bench; made by 'bench completion'.
_bench() {
    local line=${COMP_LINE:0:COMP_POINT} word verb='' option='' each current='' before=''
    local -a words
    COMPREPLY=()
    read -r -a words <<<"$line"
    [[ $line == *[[:space:]] ]] || current=${words[${#words[@]} - 1]}
    [[ -z $current ]] || unset "words[${#words[@]} - 1]"
    for word in "${words[@]:1}"; do
        [[ $word == -* || -n $verb ]] || verb=$word
    done
    if [[ $current == --*=* ]]; then
        option=${current%%=*} before=${current%%=*}= current=${current#*=}
    elif ((${#words[@]} > 1)); then
        option=$(_bench_long "$verb ${words[${#words[@]} - 1]}")
    fi
    if [[ -z $verb ]]; then
        _bench_reply "$before" "$current" "$(_bench_verbs) $(_bench_options '')"
        return
    fi
    case $(_bench_kind "$verb $option") in
    file) _bench_files "$before" "$current" && return ;;
    one) _bench_reply "$before" "$current" "$(_bench_words "$verb $option")" && return ;;
    list)
        each=${current##*,}
        _bench_reply "$before${current%"$each"}" "$each" "$(_bench_left "$verb $option" "$current")"
        return ;;
    text) return ;;
    esac
    if [[ $current == -* ]]; then
        _bench_reply '' "$current" "$(_bench_options "$verb")"
    else
        case $(_bench_operand "$verb") in
        file) _bench_files '' "$current" ;;
        none) ;;
        *) _bench_reply '' "$current" "$(_bench_operand "$verb")" ;;
        esac
    fi
}

# The words of a list that are not in it yet.
_bench_left() { # VERB-AND-OPTION LIST
    local word
    for word in $(_bench_words "$1"); do
        [[ ,${2%,*}, == *,$word,* ]] || echo "$word"
    done
}

# Words that begin as the current one does, less what bash takes for words before it.
_bench_reply() { # BEFORE CURRENT WORDS
    local whole=$1$2 kept=
    [[ $COMP_WORDBREAKS == *=* && $whole == *=* ]] && kept=${whole%"${whole##*=}"}
    [[ $COMP_WORDBREAKS == *:* && $whole == *:* ]] && kept=${whole%"${whole##*:}"}
    mapfile -t COMPREPLY < <(compgen -P "$1" -W "$3" -- "$2")
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}

_bench_files() { # BEFORE CURRENT
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$2")
    [[ -z $1 || $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("${COMPREPLY[@]/#/$1}")
    true
}

# Looked for once in a shell, and not for long: drivers take their time.
_bench_devices() {
    [[ -n ${_bench_found+set} ]] ||
        _bench_found=$(timeout 1 "${COMP_WORDS[0]}" devices 2>/dev/null | sed -n 's/^\([a-z]\{1,\}\(:[0-9]\{1,\}\)\{0,1\}\)  *.*\[.*\]$/\1/p')
    echo "all cpu gpu cuda opencl ${_bench_found//$'\n'/ }"
}

