package org.apache.spark.heapspan;

import jakarta.servlet.http.HttpServletRequest;
import java.util.NoSuchElementException;
import org.apache.spark.SparkContext;
import org.apache.spark.status.api.v1.StageData;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.UIUtils;
import org.jspecify.annotations.Nullable;

/**
 * What the content of the tab needs to know of Spark while it answers one request. Relies on {@code core/.../ui/UIUtils.scala}
 * ({@code prependBaseUri}) and {@code core/.../status/AppStatusStore.scala}. Not thread-safe.
 */
public final class TabRequest {
    private final SparkContext context;
    private final SparkUITab tab;
    private final HttpServletRequest request;

    TabRequest(SparkContext context, SparkUITab tab, HttpServletRequest request) {
        this.context = context;
        this.tab = tab;
        this.request = request;
    }

    /**
     * Where something of Spark's UI is for this browser, which may be behind a proxy.
     *
     * @param path with a slash in front
     * @return the path with what the proxy wants in front of it
     */
    public String uri(String path) {
        return UIUtils.prependBaseUri(request, tab.basePath(), path);
    }

    /**
     * Looks a stage up.
     *
     * @param stage its number
     * @return what Spark still knows of it; null if nothing
     */
    public @Nullable StageFacts stage(int stage) {
        try {
            StageData data = context.statusStore().lastStageAttempt(stage);
            return new StageFacts(data.name(), data.attemptId(), data.executorRunTime());
        } catch (NoSuchElementException e) {
            return null;
        }
    }

    /**
     * A parameter of the request.
     *
     * @param name its name
     * @return its value; empty if it is not there
     */
    public String parameter(String name) {
        String value = request.getParameter(name);
        return value == null ? "" : value;
    }
}
