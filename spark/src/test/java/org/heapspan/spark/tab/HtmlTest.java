package org.heapspan.spark.tab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class HtmlTest {
    @Test
    void textAndAttributesAreEscaped() {
        String foreign = "<script>alert(\"1\")</script> & 'more'\0";
        assertThat(new Html().element("td", foreign, "title", foreign).toString())
                .isEqualTo("<td title=\"&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;\uFFFD\">"
                        + "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;\uFFFD</td>");
    }

    @Test
    void marksOfDirectionAreReplaced() {
        assertThat(new Html().text("a\u202eb\u2028c\u001bd \uD83D\uDE00 e\n").toString())
                .isEqualTo("a\uFFFDb\uFFFDc\uFFFDd \uD83D\uDE00 e\n");
    }

    @Test
    void elementsEndInTheOrderInWhichTheyBegan() {
        assertThat(new Html().open("p").open("b").text("x").close().text("y").close())
                .hasToString("<p><b>x</b>y</p>");
    }

    @Test
    void whatIsNotWellFormedIsAnError() {
        assertThatThrownBy(() -> new Html().open("p").toString())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("p");
        assertThatThrownBy(() -> new Html().open("p", "class")).isInstanceOf(IllegalArgumentException.class);
    }
}
