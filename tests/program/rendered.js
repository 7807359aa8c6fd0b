// Put at the end of a page, in a frame of the width to be tested. Finds text that overlaps other text, is cut off, leaves
// the window, or is too small to read, and sends what it found to the page around it. Folded parts are tested open too.
const readable = 9.5; // pixels, the least height of letters
const slack = 1.5;    // pixels that boxes may share: fonts leave room above and below their letters

function isShown(element) {
  for (let at = element; at; at = at.parentElement) {
    const style = getComputedStyle(at), around = at.parentElement;
    if (around && around.tagName === "DETAILS" && !around.open && at.tagName !== "SUMMARY")
      return false;
    if (style.display === "none" || style.visibility === "hidden" || at.matches(".unseen, .skip, title"))
      return false;
  }
  return true;
}

// The nearest element that cuts off what leaves it, and whether one can scroll to that.
function clipOf(element, axis) {
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
    const overflow = getComputedStyle(at)["overflow" + axis];
    if (at.tagName === "svg" || overflow !== "visible")
      return {at, scrolls: overflow === "auto" || overflow === "scroll"};
  }
  return null;
}

function textsOf(root) {
  const texts = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || ["STYLE", "SCRIPT", "style"].includes(element.tagName) || !isShown(element))
      continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const svg = element.closest("svg");
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    const letters = parseFloat(getComputedStyle(element).fontSize) * scale;
    const rects = svg ? [element.getBoundingClientRect()] : range.getClientRects();
    for (const rect of rects)
      if (rect.width > 0 && rect.height > 0) {
        const spare = Math.max(0, (rect.height - letters) / 2); // leading is no part of the letters
        texts.push({element, text: node.data.trim().slice(0, 40), letters, left: rect.left, right: rect.right,
                    top: rect.top + spare, bottom: rect.bottom - spare});
      }
  }
  return texts;
}

function faultsOf(root) {
  const faults = new Set();
  const texts = textsOf(root).sort((a, b) => a.top - b.top);
  if (document.documentElement.scrollWidth > innerWidth)
    faults.add(`the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
  document.querySelectorAll(".box").forEach(box => {
    const rest = box.scrollWidth - box.clientWidth;
    const scrolls = innerWidth < 1200 || name === "hostile"; // other tables where there is little room, and endless names
    if (rest > slack && (!scrolls || box.matches(".one, .many")))
      faults.add(`the table "${box.getAttribute("aria-label")}" hides ${rest} pixels of its width`);
  });
  texts.forEach((text, i) => {
    if (text.letters < readable)
      faults.add(`"${text.text}" has letters of ${text.letters.toFixed(1)} pixels`);
    const across = clipOf(text.element, "X"), down = clipOf(text.element, "Y");
    const box = across ? across.at.getBoundingClientRect() : {left: 0, right: innerWidth};
    if (!(across && across.scrolls) && (text.left < box.left - slack || text.right > box.right + slack))
      faults.add(`"${text.text}" is cut off at the side`);
    if (down && !down.scrolls) {
      const tall = down.at.getBoundingClientRect();
      if (text.top < tall.top - slack || text.bottom > tall.bottom + slack)
        faults.add(`"${text.text}" is cut off above or below`);
    }
    for (let k = i + 1; k < texts.length && texts[k].top < text.bottom - slack; k++) {
      const other = texts[k];
      if (Math.min(text.right, other.right) - Math.max(text.left, other.left) > slack &&
          Math.min(text.bottom, other.bottom) - other.top > slack)
        faults.add(`"${text.text}" overlaps "${other.text}"`);
    }
  });
  return {count: texts.length, faults};
}

addEventListener("load", () => {
  const closed = faultsOf(document.body);
  document.querySelectorAll("details").forEach(part => part.open = true);
  const open = faultsOf(document.body);
  const faults = [...new Set([...closed.faults, ...open.faults])];
  parent.postMessage({page: name, width: innerWidth, count: open.count, faults}, "*");
});
