/** Pi: a function that gets its extension interface. */
export default function (pi) {
  const sessions = follow(process.cwd())
  const find = (ctx) => ctx.sessionManager.getSessionId()
  const kept = (ctx) => ({ transcript_path: ctx.sessionManager.getSessionFile() })
  pi.on("before_agent_start", async ({ prompt }, ctx) => {
    const isContinued = () => ctx.sessionManager.getBranch().some((entry) => entry.message?.role === "assistant")
    const { context, message } = await sessions.prompt(find(ctx), prompt, isContinued)
    if (message && ctx.hasUI) ctx.ui.notify(message, "info")
    if (context) return { message: { customType: "engrain", content: context, display: false } }
  })
  pi.on("tool_result", async ({ toolName, input, content, isError }, ctx) => {
    const output = content.map((part) => part.text ?? "").join("\n")
    const text = await sessions.tool(find(ctx), toolName, input, output, isError)
    if (text) return { content: [...content, { type: "text", text }] }
  })
  pi.on("agent_end", (_, ctx) => sessions.stop(find(ctx), kept(ctx)))
  pi.on("session_compact", (_, ctx) => sessions.compact(find(ctx)))
  pi.on("session_shutdown", (_, ctx) => sessions.end(find(ctx), kept(ctx)))
}
