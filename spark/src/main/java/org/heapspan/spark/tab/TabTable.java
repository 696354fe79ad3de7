package org.heapspan.spark.tab;

import java.util.List;
import org.heapspan.spark.statistics.Work;

/** A table of the tab as all of Spark's: it can be folded, and sorted by a click on a heading. Not thread-safe. */
final class TabTable {
    private final Html html;

    private TabTable(Html html) {
        this.html = html;
    }

    /**
     * Begins a table.
     *
     * @param id of the table, and by which a browser remembers whether it is folded
     * @param meaning what it shows, a sentence
     * @param columns name, explanation, name, explanation, ...
     */
    static TabTable begin(Html html, String id, String title, String meaning, List<String> columns) {
        fold(html, id, title);
        html.element("p", meaning, "class", "text-body-secondary mb-2");
        html.open("div", "class", "table-responsive");
        html.open("table", "id", id, "class", "table table-bordered table-hover table-sm table-striped sortable");
        html.open("thead").open("tr");
        for (int i = 0; i < columns.size(); i += 2) {
            html.element("th", columns.get(i), "title", columns.get(i + 1), "scope", "col");
        }
        html.close().close().open("tbody");
        return new TabTable(html);
    }

    /** Shows in place of a table that there is nothing to show. */
    static void none(Html html, String id, String title, String meaning) {
        fold(html, id, title);
        html.element("p", meaning, "id", id, "class", "text-body-secondary").close();
    }

    private static void fold(Html html, String id, String title) {
        String body = id + "-body";
        html.open(
                        "span",
                        "class",
                        "collapse-table",
                        "data-bs-toggle",
                        "collapse",
                        "data-bs-target",
                        "#" + body,
                        "aria-expanded",
                        "true",
                        "aria-controls",
                        body,
                        "data-collapse-name",
                        id)
                .open("h4")
                .element("span", "", "class", "collapse-table-arrow arrow-open")
                .text(" ")
                .element("a", title)
                .close()
                .close();
        html.open("div", "id", body, "class", "collapsible-table collapse show");
    }

    TabTable row() {
        html.open("tr");
        return this;
    }

    TabTable endRow() {
        html.close();
        return this;
    }

    TabTable cell(String text) {
        html.element("td", text);
        return this;
    }

    /** A cell of code or of a name that may be long. */
    TabTable code(String text) {
        html.open("td").element("code", text, "class", "text-break").close();
        return this;
    }

    /** A cell that is sorted by a number. */
    TabTable number(String text, long value) {
        return number(text, Long.toString(value));
    }

    /** A cell that is sorted by a number. */
    TabTable number(String text, double value) {
        return number(text, Double.toString(value));
    }

    private TabTable number(String text, String key) {
        html.element("td", text, "sorttable_customkey", key, "class", "text-nowrap");
        return this;
    }

    /** A cell that leads elsewhere. */
    TabTable link(String text, String uri, long value) {
        html.open("td", "sorttable_customkey", Long.toString(value))
                .element("a", text, "href", uri)
                .close();
        return this;
    }

    /** A cell of text that is not broken into lines. */
    TabTable line(String text) {
        html.element("td", text, "class", "text-nowrap");
        return this;
    }

    /** Four cells: records, bytes, time, speed. */
    TabTable work(Work work) {
        if (work.isNone()) {
            return number("0", 0).number("", 0).number("", 0).number("", 0);
        }
        return number(Amounts.count(work.records()), work.records())
                .number(Amounts.bytes(work.bytes()), work.bytes())
                .number(Amounts.time(work.nanos()), work.nanos())
                .number(
                        Amounts.speed(work.bytes(), work.nanos()),
                        work.nanos() == 0 ? 0 : work.bytes() / (double) work.nanos());
    }

    void end() {
        html.close().close().close().close();
    }
}
