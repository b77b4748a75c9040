import { expect, it } from "vitest";
import { htmlToText } from "./html-to-text.ts";

it.each([
  ["<p>one</p><p>two &amp; <b>three</b></p>", "one\ntwo & three"],
  ["a<script>if (a < b) {}</script >b<STYLE>x</STYLE>c", "a b c"],
  ["<!-- <p>no</p> -->yes<!doctype html>", "yes"],
  ['<a class="x" href="https://a.example/?b=1">there</a>.', "there (https://a.example/?b=1)."],
  ["<a href='http://a.example/'>there</a>", "there (http://a.example/)"],
  ['<a href="/inside">here</a>', "here"],
  ["1 < 2 and 3<4", "1 < 2 and 3<4"],
  ["begun <b", "begun"],
  ["begun <script>never ended", "begun"],
  ["one<br><br><br><br>two", "one\n\ntwo"],
])("%s is read as %s", (html, text) => {
  expect(htmlToText(html)).toBe(text);
});

it("A54 reads a page of two megabytes once, whatever it is made of", () => {
  const begun = performance.now();
  for (const piece of [
    "<",
    "<br",
    "<a ",
    '<a href="http:',
    "<script>",
    "<!--",
    "</script",
    "<a><b>x",
    " \n ",
    "&amp",
    "<p>",
  ]) {
    const page = piece.repeat((2 * 1024 * 1024) / piece.length);
    expect(htmlToText(page).length).toBeLessThan(500_000);
    expect(htmlToText(`${page}></script>-->`).length).toBeLessThan(500_000);
  }
  // What is quadratic takes the better part of an hour for one of them.
  expect(performance.now() - begun).toBeLessThan(20_000);
});
