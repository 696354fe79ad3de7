package org.apache.spark.heapspan;

import java.util.Map;

/** What the tab shows; called by any thread. */
public interface TabContent {
    /**
     * The page below Spark's heading.
     *
     * @param request what is known of the request
     * @return HTML in which all foreign text is escaped
     */
    String html(TabRequest request);

    /**
     * The same as data.
     *
     * @param request as above
     * @return strings, numbers, booleans, lists and maps with strings for keys
     */
    Map<String, ?> json(TabRequest request);

    /**
     * What runs in the browser.
     *
     * @return JavaScript
     */
    String script();
}
