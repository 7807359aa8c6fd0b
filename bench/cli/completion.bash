# Completion of bench for bash, made by 'bench completion'. The functions at its end hold the tables of commands and
# options. bash ends a word at "=" and ":", which are part of our words: so this reads the whole line, and of a
# completion hands back only what follows the last of them.
_bench() {
    local line=${COMP_LINE:0:COMP_POINT} word verb='' option='' each current='' before='' kind choices operand options
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
        option=${words[${#words[@]} - 1]}
    fi
    _bench_verb "$verb"
    if [[ -z $verb ]]; then
        _bench_reply "$before" "$current" "$operand $options"
        return
    fi
    _bench_option "$verb $option"
    case $kind in
    file) _bench_files "$before" "$current" && return ;;
    one) _bench_reply "$before" "$current" "$choices" && return ;;
    list)
        each=${current##*,}
        _bench_reply "$before${current%"$each"}" "$each" "$(_bench_left "$current" "$choices")"
        return ;;
    text) return ;;
    esac
    if [[ $current == -* ]]; then
        _bench_reply '' "$current" "$options"
    else
        case $operand in
        file) _bench_files '' "$current" ;;
        none) ;;
        *) _bench_reply '' "$current" "$operand" ;;
        esac
    fi
}

# The words that are not in the list yet.
_bench_left() { # LIST WORDS
    local word
    for word in $2; do
        [[ ,${1%,*}, == *,$word,* ]] || echo "$word"
    done
}

# Offers the words that begin like the current one, without what bash takes for earlier words.
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

# Looks for devices once in a shell, for at most a second: drivers may be slow.
_bench_devices() {
    [[ -n ${_bench_found+set} ]] ||
        _bench_found=$(timeout 1 "${COMP_WORDS[0]}" devices 2>/dev/null | sed -n 's/^\([a-z]\{1,\}\(:[0-9]\{1,\}\)\{0,1\}\)  *.*\[.*\]$/\1/p')
    echo "all cpu gpu cuda opencl ${_bench_found//$'\n'/ }"
}

