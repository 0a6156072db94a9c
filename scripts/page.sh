# shellcheck shell=sh disable=SC2154
# Sourced by cycles_page.sh and curves_page.sh: a page in a browser without a window, and pictures of it.
#
#   name, folder: of the script, for its messages, and where the page is
stop() { echo "$name: $1"; exit 1; }
browse() {
    timeout 120 "${CHROMIUM:-chromium}" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --allow-file-access-from-files \
        --virtual-time-budget=5000 --enable-logging=stderr "$@" 2>"$folder/page.log"
}
# Its elements as they are shown, FOLDER/page.dom; nothing may be on the console.
dump() {
    browse --dump-dom "file://$folder/$1" >"$folder/page.dom"
    ! grep -a 'CONSOLE' "$folder/page.log" || stop "the page has written to the console"
}
# PAGE HEIGHT: in light, in dark, and in the width of a phone, to be looked at.
pictures() {
    browse --window-size=1400,"$2" --screenshot="$folder/page-light.png" "file://$folder/$1" || stop "no picture"
    browse --window-size=1400,"$2" --blink-settings=preferredColorScheme=0 --screenshot="$folder/page-dark.png" "file://$folder/$1" ||
        stop "no picture"
    # A window cannot be as narrow as a phone, a frame can.
    echo "<body style=\"margin:0\"><iframe src=\"$1\" width=\"390\" height=\"844\" style=\"border:0\"></iframe>" >"$folder/page-phone.html"
    browse --window-size=500,844 --screenshot="$folder/page-phone.png" "file://$folder/page-phone.html" || stop "no picture"
    rm -f "$folder/page-phone.html" "$folder/page.dom"
    echo "$name: pictures in $folder/page-light.png, page-dark.png, page-phone.png"
}
