# Arena in a container: docs/deployment.md, "Containers".
FROM python:3.11-slim AS build
WORKDIR /src
RUN python -m venv /opt/arena
COPY requirements.lock requirements-cluster.lock ./
# requirements-cluster.lock for workers and their host: docs/cluster.md.
ARG REQUIREMENTS=requirements.lock
RUN /opt/arena/bin/pip install --no-cache-dir --require-hashes -r $REQUIREMENTS
COPY pyproject.toml README.md LICENSE ./
COPY arena arena
COPY games games
COPY static static
COPY templates templates
COPY locale locale
COPY docs/games docs/games
COPY docs/protocols docs/protocols
RUN /opt/arena/bin/pip install --no-cache-dir --no-deps .

FROM python:3.11-slim
# tini ends what bots leave behind; nobody else does, where the server is process 1.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin arena \
    && install --directory --owner=arena --group=arena --mode=0700 /data
COPY --from=build /opt/arena /opt/arena
ENV PATH=/opt/arena/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    ARENA_DATA=/data
USER 10001:10001
VOLUME /data
EXPOSE 8000 4200-4202 4204-4206 4242 4300-4399 4400-4499
# /readyz says as well whether matches can be stored; it answers this machine whatever ALLOWED_HOSTS is.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["tini", "--", "arena"]
CMD ["serve", "--host", "0.0.0.0", "--bots-host", "0.0.0.0"]
