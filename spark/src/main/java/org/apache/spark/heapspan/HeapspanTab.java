package org.apache.spark.heapspan;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.spark.SparkContext;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.UIUtils;
import org.apache.spark.ui.WebUIPage;
import org.json4s.JValue;
import scala.Option;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.xml.Node;
import scala.xml.Unparsed;

/**
 * The tab "Heapspan" of the driver's web UI: page {@code /heapspan/}, the same as JSON {@code /heapspan/json/}, its script
 * {@value #SCRIPT_PATH}. Spark puts its access control and security headers in front of all three. The script is no part of the page because
 * Spark's Content-Security-Policy admits only scripts that are files of the same server.
 *
 * <p>Relies on {@code core/.../ui/WebUI.scala}, {@code SparkUI.scala} and {@code UIUtils.scala} of Spark 4.3.
 */
public final class HeapspanTab extends SparkUITab {
    private static final String PREFIX = "heapspan";
    private static final String STATIC_PATH = "/static/heapspan";

    /** Where the script is. */
    public static final String SCRIPT_PATH = STATIC_PATH + "/tab.js";

    /** Where the data are. */
    public static final String JSON_PATH = "/" + PREFIX + "/json/";

    private HeapspanTab(SparkUI ui) {
        super(ui, PREFIX);
    }

    /**
     * Adds the tab to the web UI of an application.
     *
     * @param context of the application
     * @param content what the tab shows
     * @return whether the application has a web UI
     */
    public static boolean attach(SparkContext context, TabContent content) {
        Option<SparkUI> ui = context.ui();
        if (ui.isEmpty()) {
            return false;
        }
        HeapspanTab tab = new HeapspanTab(ui.get());
        tab.attachPage(new Page(context, tab, content));
        ui.get().attachTab(tab);
        ui.get().attachHandler(STATIC_PATH, new Script(content), "/*");
        return true;
    }

    private static final class Page extends WebUIPage {
        private final SparkContext context;
        private final SparkUITab tab;
        private final TabContent content;

        Page(SparkContext context, SparkUITab tab, TabContent content) {
            super("");
            this.context = context;
            this.tab = tab;
            this.content = content;
        }

        @Override
        public Seq<Node> render(HttpServletRequest request) {
            Node html = new Unparsed(content.html(new TabRequest(context, tab, request)));
            return UIUtils.headerSparkPage(
                    request,
                    tab.name(),
                    () -> Nil$.MODULE$.$colon$colon(html),
                    tab,
                    Option.empty(),
                    false,
                    false,
                    false);
        }

        @Override
        public JValue renderJson(HttpServletRequest request) {
            return JsonValues.of(content.json(new TabRequest(context, tab, request)));
        }
    }

    private static final class Script extends HttpServlet {
        private static final long serialVersionUID = 1L;

        // Servlets are serializable by inheritance only.
        @SuppressWarnings("serial")
        private final TabContent content;

        Script(TabContent content) {
            this.content = content;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            if (!SCRIPT_PATH.equals(STATIC_PATH + request.getPathInfo())) {
                response.sendError(HttpServletResponse.SC_NOT_FOUND);
                return;
            }
            response.setContentType("text/javascript;charset=utf-8");
            response.getOutputStream().write(content.script().getBytes(StandardCharsets.UTF_8));
        }

        /** As all servlets of Spark: what a browser sent is not told to scripts. */
        @Override
        protected void doTrace(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
        }
    }
}
