package org.heapspan.tests.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of the documentation: its headings, links and blocks of code. */
final class MarkdownPage {
    private static final Pattern LINK = Pattern.compile("\\[(?:[^\\[\\]]|\\[[^\\]]*])*]\\(([^)\\s]+)\\)");
    private static final Pattern CODE_SPAN = Pattern.compile("`[^`]*`");
    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?) *#*");
    private static final Pattern MARK = Pattern.compile("<!-- (\\w+): (.*) -->");

    /**
     * A block of code.
     *
     * @param line number of the line that begins it
     * @param language what stands behind the fence; empty if nothing does
     * @param context of the comment {@code <!-- LANGUAGE: CONTEXT -->} in the line before; empty if there is none
     */
    record Block(int line, String language, String context, List<String> lines) {
        String text() {
            return String.join("\n", lines);
        }
    }

    /**
     * A link.
     *
     * @param target as written
     */
    record Link(int line, String target) {}

    private final Path path;
    private final Set<String> anchors = new LinkedHashSet<>();
    private final List<Link> links = new ArrayList<>();
    private final List<Block> blocks = new ArrayList<>();

    private MarkdownPage(Path path) {
        this.path = path;
    }

    /**
     * Reads a page.
     *
     * @param root folder of the repository
     * @param path of the page below it
     */
    static MarkdownPage read(Path root, Path path) throws IOException {
        MarkdownPage page = new MarkdownPage(path);
        List<String> lines = Files.readAllLines(root.resolve(path));
        Map<String, Integer> headings = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith("```")) {
                int begin = i;
                while (!lines.get(++i).equals("```")) {}
                page.blocks.add(new Block(
                        begin + 1,
                        line.substring(3).strip(),
                        context(line.substring(3).strip(), begin > 0 ? lines.get(begin - 1) : ""),
                        lines.subList(begin + 1, i)));
                continue;
            }
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                String anchor = anchor(heading.group(1));
                int before = headings.merge(anchor, 1, Integer::sum) - 1;
                page.anchors.add(before == 0 ? anchor : anchor + "-" + before);
            }
            Matcher link = LINK.matcher(CODE_SPAN.matcher(line).replaceAll("code"));
            while (link.find()) {
                page.links.add(new Link(i + 1, link.group(1)));
            }
        }
        return page;
    }

    private static String context(String language, String lineBefore) {
        Matcher mark = MARK.matcher(lineBefore);
        return mark.matches() && mark.group(1).equals(language) ? mark.group(2) : "";
    }

    /** As forges make anchors of headings, and the generator of the site likewise. */
    private static String anchor(String heading) {
        return heading.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
                .replace(' ', '-');
    }

    /** Below the root of the repository. */
    Path path() {
        return path;
    }

    Set<String> anchors() {
        return anchors;
    }

    List<Link> links() {
        return links;
    }

    List<Block> blocks() {
        return blocks;
    }

    /** The block that follows one, as its output does. */
    Block after(Block block) {
        return blocks.get(blocks.indexOf(block) + 1);
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
