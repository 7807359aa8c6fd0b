#compdef bench
# Completion of bench for zsh, made by 'bench completion zsh'. It asks bench what may follow.
_bench() {
    local option='' kind
    local -a ask answer
    ((CURRENT > 2)) && ask=($words[2])
    if [[ ${words[CURRENT]} == --*=* ]]; then
        option=${words[CURRENT]%%=*}
        compset -P '*='
    elif ((CURRENT > 3)) && [[ ${words[CURRENT - 1]} == -* ]]; then
        option=${words[CURRENT - 1]}
    fi
    if [[ -n $option ]]; then
        answer=("${(@f)$(${words[1]} completion -- words $ask $option 2>/dev/null)}")
        kind=${answer[1]}
        case $kind in
        text) return ;;
        file) _files && return ;;
        list | devices) compset -P '*,'; compadd -S '' -- "${(@)answer[2,-1]}" && return ;;
        one) compadd -- "${(@)answer[2,-1]}" && return ;;
        esac
    fi
    answer=("${(@f)$(${words[1]} completion -- words $ask 2>/dev/null)}")
    if [[ ${words[CURRENT]} != -* && ${answer[1]} == file ]]; then
        _files
        return
    fi
    answer=("${(@)answer[2,-1]}")
    answer=("${(@)answer//:/,}")
    answer=("${(@)answer//$'\t'/:}")
    if [[ ${words[CURRENT]} == -* ]]; then
        _describe -o bench answer
    else
        answer=("${(@)answer:#-*}")
        _describe bench answer
    fi
}
if [[ ${funcstack[1]} == _bench ]]; then _bench "$@"; else compdef _bench bench; fi # of a folder in fpath, or sourced
