# Completion of bench for bash, made by 'bench completion'. It asks bench what may follow. bash ends a word at "=" and
# ":", which are part of our words: so this reads the whole line, and of a completion hands back only what follows the
# last of them.
_bench() {
    local line=${COMP_LINE:0:COMP_POINT} word verb='' option='' each current='' before=''
    local -a words answer
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
    if [[ -n $verb && -n $option && $option != "$verb" ]]; then
        _bench_ask "$verb" "$option"
        case ${answer[0]} in
        file) _bench_files "$before" "$current" && return ;;
        one) _bench_reply "$before" "$current" "${answer[*]:1}" && return ;;
        devices) answer+=("$(_bench_devices)") ;;&
        list | devices)
            each=${current##*,}
            _bench_reply "$before${current%"$each"}" "$each" "$(_bench_left "$current" "${answer[*]:1}")"
            return ;;
        text) return ;;
        esac
    fi
    # shellcheck disable=SC2086 # no word where there is no command yet
    _bench_ask $verb
    if [[ $current == -* ]]; then
        mapfile -t answer < <(printf '%s\n' "${answer[@]}" | grep '^-')
        _bench_reply '' "$current" "${answer[*]}"
    elif [[ ${answer[0]} == file ]]; then
        _bench_files '' "$current"
    else
        mapfile -t answer < <(printf '%s\n' "${answer[@]:1}" | grep -v '^-')
        _bench_reply '' "$current" "${answer[*]}"
    fi
}

# What may follow: its kind, then the words without their descriptions.
_bench_ask() { # [COMMAND [OPTION]]
    mapfile -t answer < <("${COMP_WORDS[0]}" completion -- words "$@" 2>/dev/null)
    answer=("${answer[@]%%$'\t'*}")
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
    echo "${_bench_found//$'\n'/ }"
}

complete -F _bench bench
